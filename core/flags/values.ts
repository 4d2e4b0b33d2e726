import type { Flag } from './flag.ts'
import type { ParsedFlags } from './parse.ts'
import { flags as allFlags, type FlagName } from './rows/index.ts'

/** A member of a list; quoted as in CSV when it needs to be. */
const member = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
const list = (texts: readonly string[]) => `[${texts.map(member).join(',')}]`

function valueText({ type }: Flag, value: unknown): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return list(value.map(String))
  if (value instanceof Map) return list([...value].sort().map(([key, text]) => `${key}=${text}`))
  return type.show(value)
}

/** The values of all flags as text, by the platform's spelling; lists in brackets, as the reference prints them. */
export function flagValues(flags: ParsedFlags): Readonly<Record<string, string>> {
  const rows: [string, Flag][] = Object.entries(allFlags)
  return Object.fromEntries(
    rows.map(([name, row]) => [flags.spelling(name as FlagName).slice(2), valueText(row, flags.get(name as FlagName))]),
  )
}
