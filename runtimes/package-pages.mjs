/**
 * `node runtimes/package-pages.mjs pack|unpack`, before and after `npm pack`: in the pages of the package, links to files that it does not carry are
 * text; after packing, the pages are as they were.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const listed = files.filter((name) => name.endsWith('.md'))
/** npm adds the README of the folder of each. */
const pages = [...new Set(listed.flatMap((name) => [name, join(dirname(name), 'README.md')]))]
const kept = (page) => join(root, 'build/pages', page)

/** Whether the package has the target of a link in a page. */
function isCarried(page, target) {
  if (/^(\w+:|#)/.test(target)) return true
  const path = relative(root, join(root, dirname(page), target.replace(/#.*/, '')))
  return files.includes(path) || pages.includes(path)
}

const withoutLinks = (page, text) =>
  text.replaceAll(/(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (link, image, words, target) =>
    isCarried(page, target) ? link : image === '' ? words : '',
  )

/** An interrupted run has left them. */
function restore() {
  for (const page of pages) if (existsSync(kept(page))) renameSync(kept(page), join(root, page))
}

restore()
if (process.argv[2] === 'pack')
  for (const page of pages) {
    const path = join(root, page)
    mkdirSync(dirname(kept(page)), { recursive: true })
    renameSync(path, kept(page))
    writeFileSync(path, withoutLinks(page, readFileSync(kept(page), 'utf8')))
  }
