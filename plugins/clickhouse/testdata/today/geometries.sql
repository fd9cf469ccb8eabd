SELECT (1.5, -2)::Point AS p, [(0., 0.), (1., 0.), (1., 1.)]::Ring AS r, [[(0., 0.), (1., 0.), (1., 1.)], [(0.2, 0.2), (0.4, 0.2), (0.4, 0.4)]]::Polygon AS g,
  [[[(0., 0.), (1., 0.), (1., 1.)]], []]::MultiPolygon AS m, [(0., 0.), (1., 1.)]::LineString AS l, [[(0., 0.), (1., 1.)]]::MultiLineString AS ml, []::Ring AS none, [(1., 2.)::Point] AS list, (3., 4.)::Point::Geometry AS any
