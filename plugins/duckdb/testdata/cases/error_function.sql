SELECT lenght('x')
