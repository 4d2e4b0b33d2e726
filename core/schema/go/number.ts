/** A double as Go's `%g` writes it, which has exponents below 1e-4 and from 1e6 on. */
export function goFloat(value: number): string {
  const [digits, exponent] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 6) return String(value)
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}
