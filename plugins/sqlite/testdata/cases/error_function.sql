SELECT nope(id) FROM kinds
