SELECT count(*) AS n, sum(amount) AS total, max(day) AS latest, group_concat(id, '+') AS ids, avg(id) AS mean FROM kinds
