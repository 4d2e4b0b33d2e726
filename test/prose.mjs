/** Part of `npm run lint`: rules about the comments of core/ that Biome can't check. Prints each line that breaks one. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const core = new URL('../core/', import.meta.url)

/** Words that stood for a term that was missing: a caller, a subject, a cache, a limit. Name that instead. */
const riddles = /\b(nobody|somebody|whoever|for who|who comes|even so|by and by|in so long|without a look(?!-))\b/i

/** The text of a line that is a comment, or part of one; empty for code. */
const commentOf = (line) => /^\s*(?:\/\/|\/?\*+)(.*)/.exec(line)?.[1] ?? ''

/** Rules, by what a line that breaks one should do; each gets the lines of a file and an index. */
const rules = {
  'name the thing by its term': (lines, at) => riddles.test(commentOf(lines[at])),
  'write one doc comment instead of two': (lines, at) => lines[at].endsWith('*/') && /^\s*\/\*\*/.test(lines[at + 1] ?? ''),
}

/** `path:line: rule: text` for each line that breaks a rule. */
function problems(path, text) {
  const lines = text.split('\n')
  return lines.flatMap((line, at) =>
    Object.entries(rules)
      .filter(([, breaks]) => breaks(lines, at))
      .map(([rule]) => `${path}:${at + 1}: ${rule}: ${line.trim()}`),
  )
}

const found = readdirSync(core, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => problems(`core/${name}`, readFileSync(fileURLToPath(new URL(name, core)), 'utf8')))
for (const line of found) console.error(line)
process.exitCode = found.length > 0 ? 1 : 0
