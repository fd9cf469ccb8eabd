SELECT 'äö', FRMO x y
