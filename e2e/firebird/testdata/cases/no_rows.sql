SELECT whole FROM kinds WHERE whole > 7
