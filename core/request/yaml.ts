import { Composer, type Document, LineCounter, type ParsedNode, Parser, type Tags } from 'yaml'
import { type ApiError, badRequest } from '../respond/status.ts'
import { decodeText, type Parsed } from './json.ts'
import { yamlLexemes } from './yaml-lexemes.ts'
import { YamlValues } from './yaml-values.ts'

/** Tags whose values are no JSON values, or that the reference server's YAML 1.1 reads as text. */
const foreignTags = new Set(['binary', 'omap', 'pairs', 'set', 'timestamp'].map((name) => `tag:yaml.org,2002:${name}`))
/** Base 60, as in `12:30`, which the reference server reads as text. */
const isForeign = (tag: Tags[number]) => typeof tag === 'object' && (foreignTags.has(tag.tag) || ('format' in tag && tag.format === 'TIME'))

/** Collections within collections. The library recurses; some runtimes die of a stack that overflows within it. */
const maxDepth = 250
/** Tokens, white space included. The library needs about a kilobyte and three microseconds for each. */
const maxTokens = 250_000

/**
 * Parses a YAML 1.1 body of one document into JSON values: plain `yes`, `no`, `on` and `off` are booleans, times stay text.
 * The last of several equal keys wins; with `duplicates` they are reported as `line 3: key "a" already set in map`.
 * Throws BadRequest with a message such as `yaml: line 2: …`.
 */
export function parseYaml(bytes: Uint8Array, options: { readonly duplicates: boolean }): Parsed {
  const lines = new LineCounter()
  const document = onlyDocument(decodeText(bytes), lines)
  const values = new YamlValues(bytes.length, lines)
  const value = values.of(document?.contents ?? null)
  return { value, duplicates: options.duplicates ? values.duplicates : [] }
}

function onlyDocument(text: string, lines: LineCounter): Document.Parsed<ParsedNode> | undefined {
  const composer = new Composer<ParsedNode>({
    version: '1.1',
    intAsBigInt: true,
    // Compared one by one by the library: quadratic.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
    customTags: (tags) => tags.filter((tag) => !isForeign(tag)),
  })
  let first: ApiError | undefined
  const fail = (at: number, message: string): never => {
    first ??= badRequest(`yaml: line ${lines.linePos(at).line}: ${message}`)
    throw first
  }
  // The library goes on after an error, and makes as many as there are characters. Some that are thrown it catches, to report them.
  Object.assign(composer, {
    onError(source: ErrorSource, _code: string, message: string, isWarning?: boolean) {
      if (!isWarning) fail(startOf(source), message)
    },
  })
  let only: Document.Parsed<ParsedNode> | undefined
  for (const document of composer.compose(boundedTokens(text, lines, fail))) {
    const fault = document.errors[0]
    if (fault !== undefined) fail(fault.pos[0], fault.message)
    if (only !== undefined) throw badRequest('yaml: expected a single document')
    only = document
  }
  return only
}

/** Where an error is: an offset, a range or a token. */
type ErrorSource = number | readonly [number, number] | { readonly offset: number }

function startOf(source: ErrorSource): number {
  if (typeof source === 'number') return source
  return 'offset' in source ? source.offset : source[0]
}

/** The library's first two stages, which do not recurse. */
function* boundedTokens(text: string, lines: LineCounter, fail: (at: number, message: string) => never): ReturnType<Parser['parse']> {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  let count = 0
  for (const lexeme of yamlLexemes(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') fail(token.offset, token.message)
      yield token
    }
    if (parser.stack.length > maxDepth) throw badRequest('yaml: exceeded max depth')
    if (++count > maxTokens) throw badRequest('yaml: document is too complex')
  }
  yield* parser.end()
}
