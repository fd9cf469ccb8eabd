SELECT toDecimal32('-1.50', 2) AS d9, toDecimal64('-0.000000000000000001', 18) AS d18, toDecimal128('12345678901234567890123456789.123456789', 9) AS d38,
  toDecimal128('-0.5', 38) AS small, CAST(NULL AS Nullable(Decimal(38, 10))) AS missing, toDecimal32('0', 0) AS zero
