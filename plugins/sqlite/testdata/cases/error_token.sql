SELECT 'naïve' AS a, #1
