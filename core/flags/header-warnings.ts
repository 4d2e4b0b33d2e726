import type { ParsedFlags } from './parse.ts'

/** Request headers that the reference server announces to every aggregated API server. */
const expected = [
  ['requestheader-username-headers', 'X-Remote-User', 'header'],
  ['requestheader-group-headers', 'X-Remote-Group', 'header'],
  ['requestheader-extra-headers-prefix', 'X-Remote-Extra-', 'header prefix'],
] as const

/** Warnings about front proxy headers, one line each. */
export function headerWarnings(flags: Pick<ParsedFlags, 'get'>): readonly string[] {
  return expected.flatMap(([flag, standard, noun]) => {
    const given = flags.get(flag)
    const isThere = given.length === 0 || given.some((name) => name.toLowerCase() === standard.toLowerCase())
    return isThere ? [] : [`--${flag} is set without specifying the standard ${standard} ${noun} - API aggregation will not work`]
  })
}
