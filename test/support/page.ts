/** What pages in Markdown show, for tests that do it. */
import { readFileSync } from 'node:fs'
import { root } from './root.ts'

/** A fenced block of code. */
export interface Block {
  /** Text of the heading above it. */
  readonly heading: string
  readonly language: string
  readonly text: string
}

/** The code of a page, given by its path in the checkout, from top to bottom. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = []
  let heading = ''
  let open: { readonly language: string; readonly lines: string[] } | undefined
  for (const line of readFileSync(`${root}${page}`, 'utf8').split('\n')) {
    const [, language] = /^```(\w*)/.exec(line) ?? []
    if (open === undefined && language !== undefined) open = { language, lines: [] }
    else if (open !== undefined && language !== undefined) {
      blocks.push({ heading, language: open.language, text: `${open.lines.join('\n')}\n` })
      open = undefined
    } else if (open === undefined) heading = /^#+ (.+)$/.exec(line)?.[1] ?? heading
    else open.lines.push(line)
  }
  return blocks
}

/** The only block below a heading. */
export function blockBelow(page: string, heading: string): string {
  const [block, ...others] = blocksOf(page).filter((each) => each.heading === heading)
  if (block === undefined || others.length > 0) throw new Error(`${page}: ${heading}: ${others.length} blocks more than one`)
  return block.text
}
