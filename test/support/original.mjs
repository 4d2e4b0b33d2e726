/**
 * Maps places in transpiled JavaScript to their TypeScript source, for output only. With --enable-source-maps Node reads the source map of
 * every file it loads, which costs 13 % of a test process.
 */
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, resolve } from 'node:path'

/** A place in a transpiled file, as in stack traces. */
const place = /(?:file:\/\/)?(\/[^\s():]*\/build\/js\/[^\s():]+\.js):(\d+):(\d+)/g
const maps = new Map()

function mapOf(file) {
  let map = maps.get(file)
  if (map === undefined) {
    map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
    maps.set(file, map)
  }
  return map
}

/** The place in the source for one in a transpiled file, lines and columns from 1; the same place where there is no map. */
function originalPlace(file, line, column) {
  try {
    const { originalSource, originalLine, originalColumn } = mapOf(file).findEntry(line - 1, column - 1)
    if (originalSource === undefined) return `${file}:${line}:${column}`
    return `${resolve(dirname(file), originalSource)}:${originalLine + 1}:${originalColumn + 1}`
  } catch {
    return `${file}:${line}:${column}`
  }
}

/** The text with places in sources in place of those in transpiled files. */
export const original = (text) => text.replaceAll(place, (_, file, line, column) => originalPlace(file, Number(line), Number(column)))
