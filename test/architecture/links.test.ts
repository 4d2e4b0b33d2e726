import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const pages = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...['core', 'runtimes', 'test'].flatMap((parent) =>
    readdirSync(parent, { recursive: true, encoding: 'utf8' }).flatMap((path) => (path.endsWith('.md') ? [join(parent, path)] : [])),
  ),
]

/** Anchors of a page's headings, as forges make them: lower case, punctuation dropped, spaces as dashes. */
function anchorsOf(page: string): string[] {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Why a link of a page leads nowhere; empty if it works. Links to other sites are not followed. */
function problems(page: string, link: string): string[] {
  if (/^[a-z]+:/.test(link)) return []
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(target)) return [`${page}: ${link} does not exist`]
  if (anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor)) return [`${page}: ${link}: no such heading`]
  return []
}

/** Files that a page names with their folder, which are in the page's folder, in its area, or named from the root. */
test('files that pages name with their folders exist', () => {
  const found = pages.flatMap((page) => {
    const places = [dirname(page), page.split('/')[0] ?? '.', '.', 'core']
    return [...readFileSync(page, 'utf8').matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.(?:ts|mjs))`/g)]
      .flatMap(([, path = '']) => (/NAME|KIND|GROUP/.test(path) || places.some((place) => existsSync(join(place, path))) ? [] : [path]))
      .map((path) => `${page}: ${path} does not exist`)
  })
  assert.deepEqual(found, [])
})

test('links between the pages of this repository work', () => {
  const found = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => problems(page, link)),
  )
  assert.deepEqual(found, [])
})
