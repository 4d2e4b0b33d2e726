/** Regular expressions on an engine with linear time. */
import type { RE2JS } from 're2js'
import { messageOf } from '../../schema/message-of.ts'
import { compilePattern } from '../../schema/pattern.ts'
import { declare, type FunctionDeclaration, type Row } from '../functions.ts'
import { fail } from '../values/errors.ts'
import { weightOf } from '../values/maps.ts'
import type { Int } from '../values/numbers.ts'
import { matchCost } from './costs.ts'

/** Maximum cached patterns per environment. */
const maxPatterns = 200

/** Compiles patterns with a least-recently-used cache. Throws a CelError for a malformed pattern. */
function patternCache(): (pattern: string) => RE2JS {
  const kept = new Map<string, RE2JS>()
  return (pattern) => {
    const known = kept.get(pattern)
    if (known) return known
    const compiled = compiledOrFailed(pattern)
    if (kept.size >= maxPatterns) kept.clear()
    kept.set(pattern, compiled)
    return compiled
  }
}

function compiledOrFailed(pattern: string): RE2JS {
  try {
    return compilePattern(pattern)
  } catch (error) {
    return fail(messageOf(error))
  }
}

const matchesKnown = { cost: ([text, pattern]: readonly unknown[]) => matchCost(text, weightOf(pattern)) }
const finds = { ...matchesKnown, byName: true } as const

export function regexLibrary(): readonly FunctionDeclaration[] {
  const compile = patternCache()
  const matches = (text: string, pattern: string) => compile(pattern).matcher(text).find()
  /** As Go's FindAll: an empty match adjacent to the previous match is skipped. */
  const findAll = (text: string, pattern: string, limit: Int = -1): readonly string[] => {
    const found: string[] = []
    const matcher = compile(pattern).matcher(text)
    let end = -1
    while ((limit < 0 || found.length < limit) && matcher.find()) {
      const abuts = matcher.start() === matcher.end() && matcher.start() === end
      end = matcher.end()
      if (!abuts) found.push(matcher.group() ?? '')
    }
    return found
  }
  const rows: readonly Row[] = [
    ['matches', 'matches(string, string): bool', matches],
    ['matches_string', 'string.matches(string): bool', matches, matchesKnown],
    ['string_find_string', 'string.find(string): string', (text: string, pattern: string) => findAll(text, pattern, 1)[0] ?? '', finds],
    ['string_find_all_string', 'string.findAll(string): list<string>', (text: string, pattern: string) => findAll(text, pattern), finds],
    ['string_find_all_string_int', 'string.findAll(string, int): list<string>', findAll, finds],
  ]
  return declare(rows)
}
