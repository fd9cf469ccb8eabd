SELECT toFloat32(0.1) AS f32, toFloat64(0.1) AS f64, nan AS not_a_number, inf AS up, -inf AS down, CAST(-1.5e300 AS Nullable(Float64)) AS maybe, toFloat32(16777216) AS whole
