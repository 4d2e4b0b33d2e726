import type { Platform } from '../platform.ts'

/** Replaces aliases in a text by our spelling (Platform.wordAliases). */
export function ourWords(text: string, platform: Platform): string {
  return platform.wordAliases.reduce((result, [ours, alias]) => result.replace(alias, ours), text)
}
