/** Selects names by a list such as `--controllers=*,-garbage-collector`. Throws a FlagError on unknown names. */
import { FlagError } from './flag.ts'

export function selectNames(flag: string, given: readonly string[], known: readonly string[]): readonly string[] {
  for (const each of given) {
    const name = each.startsWith('-') ? each.slice(1) : each
    if (each !== '*' && !known.includes(name))
      throw new FlagError(`--${flag}: unknown name ${JSON.stringify(name)}: use ${known.join(', ')}`)
  }
  return known.filter((name) => !given.includes(`-${name}`) && (given.includes('*') || given.includes(name)))
}
