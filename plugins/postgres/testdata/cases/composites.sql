SELECT ROW(1, 'a "b", (c)\', ARRAY[ROW('2024-02-29', NULL)::stay, NULL])::visit AS whole, ROW(NULL, '', '{}')::visit AS bare, NULL::visit AS missing,
  ARRAY[ROW(2, NULL, NULL)::visit] AS list, ROW(1, 'x') AS anonymous
