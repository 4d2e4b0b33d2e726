/** Doubles in `format`: English number formatting by Unicode's CLDR, as in golang.org/x/text. */

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹'
const mantissaDigits = 6

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN'
  if (Number.isFinite(value)) return undefined
  return value > 0 ? '∞' : '-∞'
}

/** A finite double as fraction: `numerator / 2 ** shift`. */
function fractionOf(value: number): readonly [numerator: bigint, shift: bigint] {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const exponent = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n)
  const power = (exponent === 0 ? 1 : exponent) - 1075
  return power >= 0 ? [mantissa << BigInt(power), 0n] : [mantissa, BigInt(-power)]
}

/** All digits before the decimal point and `precision` digits after it, of the exact value, rounded half to even. */
function digitsOf(value: number, precision: number): readonly [whole: string, fraction: string] {
  const [numerator, shift] = fractionOf(value)
  const scaled = numerator * 10n ** BigInt(precision)
  const floor = scaled >> shift
  const [rest, half] = [(scaled - (floor << shift)) * 2n, 1n << shift]
  const rounded = rest > half || (rest === half && floor % 2n === 1n) ? floor + 1n : floor
  const text = String(rounded).padStart(precision + 1, '0')
  return [text.slice(0, text.length - precision), text.slice(text.length - precision)]
}

/** `1234567` as `1,234,567`. */
function inThousands(digits: string): string {
  const first = digits.length % 3 || 3
  const groups = [digits.slice(0, first)]
  for (let at = first; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3))
  return groups.join()
}

/** `%.2f`: `1,234.50`. */
export function fixedPoint(value: number, precision = 6): string {
  const named = special(value)
  if (named !== undefined) return named
  const [whole, fraction] = digitsOf(Math.abs(value), precision)
  return `${value < 0 ? '-' : ''}${inThousands(whole)}${precision > 0 ? `.${fraction}` : ''}`
}

/** `%e`: `1.234500×10⁰³`. The precision is used as minimum width. */
export function scientific(value: number, width = 6): string {
  const named = special(value)
  if (named !== undefined) return named.padStart(width)
  const [digits = '', power = '0'] = value.toExponential(mantissaDigits).split('e')
  const exponent = String(Math.abs(Number(power))).padStart(2, '0')
  const raised = [...exponent].map((digit) => superscripts[Number(digit)]).join('')
  return `${digits}×10${Number(power) < 0 ? '⁻' : ''}${raised}`.padStart(width)
}
