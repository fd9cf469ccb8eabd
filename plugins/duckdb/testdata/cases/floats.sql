SELECT * FROM (VALUES
  ('NaN'::DOUBLE, 'NaN'::FLOAT), ('Infinity', 'Infinity'), ('-Infinity', '-Infinity'), (0.1, 0.5), (1.7976931348623157e308, 3.0), (5e-324, -1.5), (-0.0, 0), (NULL, NULL)) t(double, float)
