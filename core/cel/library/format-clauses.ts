/** Templates of `format`: text and clauses (cel-go's ext/formatting.go). */
import { boundText } from '../limits.ts'
import { type MaybeSteps, Pace, type Parts, within } from '../steps.ts'
import { fail } from '../values/errors.ts'
import { search } from '../values/search.ts'

/** `%.2f`: a verb, and the precision if given. */
export interface Clause {
  readonly verb: string
  readonly precision: number | undefined
}

const verbs = 'sdfebxXo'
/** Larger precisions are treated as this one. */
const maxDigits = 1000
const maxPrecision = 2 ** 31

function malformed(reason: string): never {
  return fail(`could not parse formatting clause: ${reason}`)
}

function precisionOf(digits: string): number {
  const failed = (reason: string) => malformed(`error while parsing precision: error while converting precision to integer: ${reason}`)
  if (digits === '') failed('strconv.Atoi: parsing "": invalid syntax')
  if (Number(digits) > maxPrecision) failed(`strconv.Atoi: parsing "${digits}": value out of range`)
  return Math.min(Number(digits), maxDigits)
}

const precisionAt = /\.(\d*)/y

/** Parses the clause after the percent sign at `start`; returns it with its end. */
function clauseAt(template: string, start: number): readonly [clause: Clause, end: number] {
  precisionAt.lastIndex = start
  const [, digits] = precisionAt.exec(template) ?? []
  const at = digits === undefined ? start : start + 1 + digits.length
  const verb = String.fromCodePoint(template.codePointAt(at) ?? 0)
  if (at >= template.length) malformed('error while parsing precision: could not find end of precision specifier')
  const precision = digits === undefined ? undefined : precisionOf(digits)
  if (!verbs.includes(verb)) malformed(`unrecognized formatting clause "${verb}"`)
  return [{ verb, precision }, at + 1]
}

/** Time to parse a clause. */
const nanosecondsPerClause = 300

/**
 * Replaces the clauses of a template by the results of `write`; there may be up to `size`. Throws a CelError for a malformed template, and a
 * Cancelled for a result that is too long.
 */
export function* replaceClauses(
  template: string,
  size: number,
  write: (clause: Clause, index: number) => MaybeSteps<string>,
): Parts<string> {
  const pace = new Pace()
  let result = ''
  let index = 0
  let from = 0
  for (;;) {
    const at = yield* within(search(template, '%', from))
    if (at < 0) return result + template.slice(from)
    if (pace.due(nanosecondsPerClause)) yield pace.units
    result += template.slice(from, at)
    if (template[at + 1] === '%') {
      result += '%'
      from = at + 2
      continue
    }
    if (at + 1 === template.length) fail('unexpected end of string')
    if (index >= size) fail(`index ${index} out of range`)
    const [clause, end] = clauseAt(template, at + 1)
    result += yield* within(write(clause, index++))
    boundText(result.length)
    from = end
  }
}
