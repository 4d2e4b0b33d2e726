import { readFile } from 'node:fs/promises'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { StackFrame } from '../../../core/ports.ts'

/** A function in V8's profiles; line and column start at 0. */
export interface Call {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
  readonly columnNumber: number
}

/** Characters between the name of a function and its start: `=`, `=async `, `(`. */
const maxGap = 12

const pathOf = (url: string): string => (url.startsWith('file:') ? fileURLToPath(url) : url)
const anonymous = '(anonymous)'

interface Generated {
  readonly map: SourceMap
  readonly lines: readonly string[]
}

/** The source map beside a file, with the file; undefined: there is none. */
async function generated(path: string): Promise<Generated | undefined> {
  if (!path.startsWith('/') || !path.endsWith('.js')) return undefined
  try {
    const [map, text] = await Promise.all([readFile(`${path}.map`, 'utf8'), readFile(path, 'utf8')])
    return { map: new SourceMap(JSON.parse(map)), lines: text.split('\n') }
  } catch {
    return undefined
  }
}

/** The frame in the sources; the bundle's names are short, and stand in front of the start of a function. */
function original({ functionName, lineNumber, columnNumber }: Call, { map, lines }: Generated): StackFrame | undefined {
  const found = map.findEntry(lineNumber, columnNumber)
  if (!('originalSource' in found)) return undefined
  const at = functionName === '' ? -1 : (lines[lineNumber]?.lastIndexOf(functionName, columnNumber) ?? -1)
  const isNear = at >= 0 && columnNumber - at - functionName.length <= maxGap
  const named = isNear ? (map.findEntry(lineNumber, at) as { name?: string }).name : undefined
  const file = found.originalSource.replace(/^(?:\.\.\/)+/, '')
  return { name: named ?? (functionName || `${anonymous} ${file}:${found.originalLine + 1}`), file, line: found.originalLine + 1 }
}

/** Turns functions into frames of the sources, for files that have a source map beside them. */
export async function originalFrames(calls: Iterable<Call>): Promise<(call: Call) => StackFrame> {
  const paths = new Set(Array.from(calls, ({ url }) => pathOf(url)))
  const files = new Map(await Promise.all(Array.from(paths, async (path) => [path, await generated(path)] as const)))
  return (call) => {
    const path = pathOf(call.url)
    const file = files.get(path)
    const line = call.lineNumber + 1
    return (file && original(call, file)) ?? { name: call.functionName || `${anonymous} ${path}:${line}`, file: path, line }
  }
}
