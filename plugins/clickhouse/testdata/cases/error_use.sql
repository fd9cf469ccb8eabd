USE system
