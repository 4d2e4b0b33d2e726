import type { Platform } from '../platform.ts'

/** Our spelling of a text that may use the other words (Platform.wordAliases). */
export function ourWords(text: string, platform: Platform): string {
  return platform.wordAliases.reduce((result, [ours, alias]) => result.replace(alias, ours), text)
}
