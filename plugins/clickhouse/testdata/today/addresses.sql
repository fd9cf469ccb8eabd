SELECT toIPv4('192.0.2.1') AS four, toIPv6('2001:db8::1') AS six, toIPv6('::ffff:192.0.2.1') AS mapped, [toIPv4('10.0.0.1')] AS list
