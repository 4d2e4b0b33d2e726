/** The pages as scripts of a shell. */
import { type Block, blocksOf } from '../support/page.ts'
import type { Role, Section } from './roles.ts'

export interface Step {
  readonly name: string
  readonly script: string
}

/** A block with its path in the first line. */
const named = /^(?:\/\/|#) (\S+\.\S+)\n([\s\S]*)$/

/** What writes a file; the first line of those of the operations page is not part of it. */
function written({ language, text }: Block): string {
  const [, path = '', content = ''] = named.exec(text) ?? []
  if (path === '') throw new Error(`no name in the first line of a file: ${text}`)
  const whole = /^(js|ts|py|go)$/.test(language) ? text : content
  return `mkdir -p "$(dirname '${path}')"\ncat > '${path}' <<'END-OF-FILE'\n${whole}END-OF-FILE\n`
}

/** Files below a heading are there before its commands run. */
function stepOf([page, heading]: Section): Step {
  const blocks = blocksOf(page).filter((block) => block.heading === heading)
  if (blocks.length === 0) throw new Error(`${page}: nothing to do below ${heading}`)
  const files = blocks.filter(({ language }) => language !== 'sh')
  const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)
  // The cookbook says once how its snippets are run.
  const tests = files.map(({ text }) => named.exec(text)?.[1]).filter((path) => commands.length === 0 && path?.endsWith('.test.js'))
  return { name: heading, script: [...files.map(written), ...commands, ...tests.map((path) => `node --test ${path}\n`)].join('') }
}

export const stepsOf = ({ sections }: Role): Step[] => sections.map(stepOf)
