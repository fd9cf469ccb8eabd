SELECT * FROM nowhere.t
