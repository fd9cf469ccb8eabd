SELECT 'x'::int
