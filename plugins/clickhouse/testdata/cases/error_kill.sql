KILL QUERY WHERE query_id = 'x'
