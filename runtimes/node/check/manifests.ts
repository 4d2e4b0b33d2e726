/** Manifests: the objects in files, folders and standard input, and the lines where their fields stand. */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { FlagError } from '../../../core/flags/flag.ts'
import { isObject } from '../../../core/schema/json/is-object.ts'
import type { JsonObject } from '../../../core/schema/model.ts'
import { documentsOf } from '../../../core/schema/yaml/documents.ts'
import { yamlInput } from '../../../core/schema/yaml/input.ts'
import { readYaml, YamlError } from '../../../core/schema/yaml/reader.ts'
import { reasonOf } from '../../atomic-file.ts'

/** An object of a file. */
export interface Manifest {
  readonly file: string
  /** Where it starts, counted from 1. */
  readonly line: number
  readonly apiVersion: string
  readonly kind: string
  readonly object: JsonObject
  /** What a client sends: the document as it is written, or an item of a list as JSON. */
  readonly body: string
  /** The document is more than its object shows: keys stand in it twice. */
  readonly isRepeating?: boolean
  /** The line of a field, such as `spec.containers[0].image`, or of the deepest part of it that is there. */
  lineOf(field: string): number
}

/** A document that is no object. */
export interface Unreadable {
  readonly file: string
  readonly line: number
  readonly message: string
}

export interface Manifests {
  readonly objects: readonly Manifest[]
  readonly unreadable: readonly Unreadable[]
}

const isManifest = /\.(?:ya?ml|json)$/
/** Not a manifest, but what kustomize makes some of. */
const isKustomization = /^kustomization\.ya?ml$/
const standardInput = '-'
/** Maximum bytes of a file; devices have no end. */
const maxBytes = 256 * 1024 * 1024
const pieceBytes = 1024 * 1024

/** Files below a folder, in order of their names. */
function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name.startsWith('.') ? [] : filesBelow(path)
    return isManifest.test(entry.name) && !isKustomization.test(entry.name) ? [path] : []
  })
}

/** Does something with a file. @throws FlagError that names it. */
function reading<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof FlagError ? error : new FlagError(`check: ${path}: ${reasonOf(error)}`)
  }
}

/** Reads up to the end, which a pipe has when its writer closes it. */
function bytesOf(path: string, descriptor: number): Uint8Array {
  const pieces: Buffer[] = []
  for (let total = 0; ; ) {
    const piece = Buffer.allocUnsafe(pieceBytes)
    const length = readSync(descriptor, piece)
    if (length === 0) return Buffer.concat(pieces)
    total += length
    if (total > maxBytes) throw new FlagError(`check: ${path}: larger than ${maxBytes} bytes`)
    pieces.push(piece.subarray(0, length))
  }
}

function fileAt(path: string): Manifests {
  const descriptor = openSync(path, 'r')
  try {
    return readManifests(path, bytesOf(path, descriptor))
  } finally {
    closeSync(descriptor)
  }
}

/** A file that was found in a folder. What is none is refused: a pipe without a writer would never end. */
function foundFile(path: string): Manifests {
  if (!statSync(path).isFile()) throw new FlagError(`check: ${path}: not a file`)
  return fileAt(path)
}

function manifestsAt(path: string): Manifests[] {
  if (path === standardInput) return [readManifests('standard input', bytesOf('standard input', 0))]
  if (!statSync(path).isDirectory()) return [fileAt(path)]
  const files = filesBelow(path)
  if (files.length === 0) throw new FlagError(`check: ${path}: no file that ends in .yaml, .yml or .json`)
  return files.map((file) => reading(file, () => foundFile(file)))
}

/** Reads files, all manifests below folders, and standard input for `-`. @throws FlagError that names what can't be read. */
export function loadManifests(paths: readonly string[]): Manifests {
  const found = paths.flatMap((path) => reading(path, () => manifestsAt(path)))
  return { objects: found.flatMap(({ objects }) => objects), unreadable: found.flatMap(({ unreadable }) => unreadable) }
}

/** The objects of a YAML or JSON text; lists are expanded. */
function readManifests(file: string, bytes: Uint8Array): Manifests {
  const objects: Manifest[] = []
  const unreadable: Unreadable[] = []
  const { text, fault } = yamlInput(bytes)
  if (fault !== undefined) return { objects, unreadable: [{ file, line: text.split('\n').length, message: `yaml: ${fault}` }] }
  for (const { body, line } of documentsOf(text)) {
    try {
      for (const object of objectsOf(file, body, line)) objects.push(object)
    } catch (error) {
      if (!(error instanceof YamlError || error instanceof NoObject)) throw error
      const [, at = '1'] = /line (\d+): /.exec(error.message) ?? []
      unreadable.push({ file, line: line + Number(at) - 1, message: error.message })
    }
  }
  return { objects, unreadable }
}

class NoObject extends Error {}

const textIn = (object: JsonObject, name: string): string => {
  const value = object[name]
  if (typeof value !== 'string' || value === '') throw new NoObject('apiVersion and kind are required')
  return value
}

function objectsOf(file: string, body: string, line: number): Manifest[] {
  let isRepeating = false
  const repeated = () => {
    isRepeating = true
  }
  const value = readYaml({ text: body }, { first: true, repeated })
  if (value === null) return []
  if (!isObject(value)) throw new NoObject('the document is no object')
  const lines = linesOf(body, line)
  const [apiVersion, kind, items] = [textIn(value, 'apiVersion'), textIn(value, 'kind'), value['items']]
  const start = lines('')
  if (!kind.endsWith('List') || !Array.isArray(items))
    return [{ file, line: start, apiVersion, kind, object: value, body, isRepeating, lineOf: lines }]
  return items.map((object, index): Manifest => {
    const lineOf = (field: string) => lines(`items[${index}]${field === '' ? '' : `.${field}`}`)
    if (!isObject(object)) throw new NoObject(`items[${index}] is no object`)
    return {
      file,
      get line() {
        return lineOf('')
      },
      apiVersion: textIn(object, 'apiVersion'),
      kind: textIn(object, 'kind'),
      object,
      body: JSON.stringify(object),
      lineOf,
    }
  })
}

/** The lines of fields of a document that starts at a line. Positions are only looked for when somebody asks. */
function linesOf(body: string, first: number): (field: string) => number {
  const blank = body.split('\n').findIndex((line) => /^\s*[^\s#]/.test(line))
  const start = first + Math.max(0, blank)
  let find: ((field: string) => number) | undefined
  return (field) => {
    if (field === '') return start
    find ??= finderOf(body, first)
    return find(field)
  }
}

function finderOf(body: string, first: number): (field: string) => number {
  const counter = new LineCounter()
  const { contents } = parseDocument(body, { version: '1.1', lineCounter: counter, strict: false, uniqueKeys: false, logLevel: 'silent' })
  const lineAt = (offset: number) => first + counter.linePos(offset).line - 1
  return (field) => {
    let node: unknown = contents
    let line = lineAt((contents as Node | null)?.range?.[0] ?? 0)
    for (let rest = field; rest !== ''; ) {
      const step = isMap(node) ? memberOf(node.items, rest) : isSeq(node) ? elementOf(node.items, rest) : undefined
      if (step === undefined) return line
      if (step.offset !== undefined) line = lineAt(step.offset)
      node = step.value
      rest = step.rest
    }
    return line
  }
}

interface Step {
  readonly value: unknown
  readonly offset: number | undefined
  readonly rest: string
}

/** The member that a path starts with: `name.…`, `name[0]…`, or `[name]…` of a map whose keys are data. The longest key counts, as keys may have dots. */
function memberOf(items: readonly { readonly key: unknown; readonly value: unknown }[], path: string): Step | undefined {
  let best: Step | undefined
  for (const { key, value } of items) {
    if (!isScalar(key)) continue
    for (const written of [String(key.value), `[${key.value}]`]) {
      if (!path.startsWith(written)) continue
      const rest = path.slice(written.length)
      if (rest !== '' && !/^[.[]/.test(rest)) continue
      const step = { value, offset: key.range?.[0], rest: rest.replace(/^\./, '') }
      if (best === undefined || step.rest.length < best.rest.length) best = step
    }
  }
  return best
}

function elementOf(items: readonly unknown[], path: string): Step | undefined {
  const [written, index] = /^\[(\d+)\]\.?/.exec(path) ?? []
  const value = index === undefined ? undefined : (items[Number(index)] as Node | undefined)
  return value === undefined ? undefined : { value, offset: value.range?.[0], rest: path.slice((written as string).length) }
}
