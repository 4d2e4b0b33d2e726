/** Promises of the design that a machine can keep: what core may import, in which direction, and which words it may use. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { allOptions, optionGroups } from '../../core/options/index.ts'
import { rootUrl } from '../support/root.ts'
import { type Source, sourcesBelow, targetOf } from './graph.ts'
import { moduleState } from './module-state.ts'
import { spreadArguments } from './spread-arguments.ts'
import { unreadFields } from './unread-fields.ts'

/** Folders and top-level files of core/, as core/README.md lists them; each imports only itself and what comes after it. */
const order = [
  'flags',
  'server.ts',
  'assembly',
  'options',
  'peers',
  'aggregation',
  'controllers/bootstrap',
  'controllers/custom-resources',
  'controllers/leadership',
  'controllers',
  'filters',
  'meta',
  'verbs',
  'answers/rendering',
  'admission',
  'audit',
  'access/authn',
  'access/authz',
  'outgoing/forwarding',
  'outgoing/webhook',
  'outgoing/websocket',
  'outgoing/spdy',
  'outgoing',
  'fairness',
  'request',
  'objects/registry',
  'objects/watch',
  'objects/storage',
  'encryption',
  'config',
  'apply',
  'answers',
  'resources',
  'cel',
  'schema',
  'tracing',
  'common',
  'platform.ts',
  'release.ts',
  'metrics.ts',
  'ports.ts',
]

/** Folders and top-level files of runtimes/. */
const runtimeOrder = [
  'bun',
  'deno',
  // The program, whose commands are made of all that follows.
  'node/bin.ts',
  'node/start/program.ts',
  'node/start/main.ts',
  'node/start/serve.ts',
  'node/start/commands.ts',
  'node/start/run.ts',
  'node/start/daemon.ts',
  'node/hosts',
  'node/branches',
  'testing',
  'edge',
  'web',
  'node',
  'build-executable.ts',
  'bring.ts',
  'locate.ts',
  'on-path.ts',
  'kind-types.ts',
  'log-callers.mjs',
  'build-once.mjs',
  'stamp.mjs',
  'etcd-server',
  'stores',
  'wire',
  'call.ts',
  'short-path.ts',
  'named-file.ts',
  'atomic-file.ts',
]

/** Calls that spread a list which is short whatever a client sends. Others add items with `append`, and compare them with `greatest`. */
const shortLists: { readonly [call: string]: string } = {
  'core/admission/plugins/service-account.ts: find(...account)': 'a tuple',
  "core/apply/ownership.ts: fieldSet(...['name')": 'written there',
  "core/assembly/parts.ts: hook(...['apiservice-discovery-controller')": 'written there',
  "core/assembly/parts.ts: hook(...['apiservice-status-local-available-controller')": 'written there',
  'core/access/authz/rbac-follow.ts: index.removeBinding(...at)': 'a tuple',
  'core/access/authz/rbac-follow.ts: index.removeRole(...at)': 'a tuple',
  'core/cel/check/unify.ts: opaqueType(...parameters)': 'parameters of a declared type',
  'core/cel/run/calls.ts: (...args)': 'the arguments of a declared function',
  'core/cel/syntax/literals.ts: parts.push(...new)': 'the bytes of one character',
  'core/cel/values/compare.ts: order(...comparable(left)': 'a tuple',
  'core/meta/debug/live-page.ts: Math.max(...past)': 'one minute, in a browser',
  'core/meta/debug/live-page.ts: Math.max(...rows.map(([)': 'the rows of a page, in a browser',
  'core/fairness/flow-control.ts: this.configure(...this.#objects)': 'a tuple',
  'core/outgoing/forwarding/rewrite-html.ts: String.fromCharCode(...bytes)': 'pieces of a page, of bounded length',
  'core/meta/openapi/resource-paths.ts: responses(...codes)': 'codes of a verb',
  'core/meta/openapi/shared-parameters.ts: String.fromCharCode(...bytes)': 'a digest',
  'core/meta/storage-version-hash.ts: String.fromCharCode(...digest.subarray(0)': 'a digest',
  'core/options/index.ts: Object.assign(...Object.values(optionGroups))': 'groups of options',
  "core/options/ports.ts: methods(...['get')": 'written there',
  'core/objects/registry/view.ts: fieldSet(...kept)': 'declared by a kind',
  'core/objects/registry/view.ts: fieldSet(...strategy.reset)': 'declared by a kind',
  'core/request/continue-token.ts: String.fromCharCode(...bytes)': 'a key of the store',
  "core/resources/core/template-warnings.ts: FieldPath.of(...path.slice(1).split('.'))": 'written there',
  'core/schema/formats/ip.ts: bytes.push(...v4.bytes)': 'an address',
  'core/schema/json/scan.ts: scalarText(...found)': 'a tuple',
  'core/common/sorted-index.ts: this.#chunks.push(...inChunks(items.slice()))': 'one chunk for some hundred items',
  'core/common/sorted-index.ts: this.#chunks.splice(...inChunks(this.#merged(chunk)': 'the parts of one chunk',
  'core/objects/storage/stored-object.ts: this.#codec.decode(...this.pieces)': 'pieces of one value',
  'core/verbs/delete-unreadable.ts: refusal(...set.map((each))': 'options of a delete',
  'core/answers/rendering/render.ts: protobuf.encode(...pieces(entry))': 'pieces of one value',
  'core/outgoing/websocket/handshake.ts: String.fromCharCode(...new)': 'a digest',
  'runtimes/stores/message/service.ts: (...(parameters)': 'the parameters of a call of a store',
  'runtimes/node/pki/der.ts: bytes.push(...digits)': 'digits of a number',
  'runtimes/node/pki/issue.ts: sequence(...(critical)': 'one value',
  'runtimes/node/pki/issue.ts: sequence(...extensions)': 'extensions of one certificate',
  'runtimes/node/pki/issue.ts: sequence(...organizations.map((organization))': 'of one certificate of this server',
  'runtimes/node/pki/issue.ts: sequence(...subject.names.map(generalName))': 'of one certificate of this server',
  'runtimes/node/log/files.ts: join(...segments)': 'segments of a path',
  'runtimes/node/start/daemon.ts: stores.push(...(all.overrides)': 'stores of a command line',
  'runtimes/stores/bounded.ts: store.put(...rest)': 'a tuple',
  'runtimes/testing/objects.ts: path(...(subresource)': 'one value',
  'runtimes/wire/client/connection.ts: this.#outbox.push(...greeting)': 'frames of a greeting',
  'runtimes/wire/hpack/huffman.ts: cells.push(...new)': '256 cells',
}

const ofSchema = 'derived from a schema, which never changes; gone with it'
/** What modules of the core remember, which servers of a process share. Anything that depends on a server belongs to a value of the server. */
const remembered: { readonly [name: string]: string } = {
  'core/apply/atom.ts: atoms': ofSchema,
  'core/apply/atom.ts: preserving': ofSchema,
  'core/apply/atom.ts: roots': ofSchema,
  'core/apply/blank.ts: blanks': ofSchema,
  'core/cel/environment.ts: standard': 'declarations of the language, parsed at the first use',
  'core/config/feature-gate-history.ts: earlier': 'a constant, made at the first use',
  'core/config/feature-gates.ts: idle': 'a constant, made at the first use',
  'core/config/feature-gates.ts: ownGates': 'a constant, made at the first use',
  'core/meta/debug/live-page.ts: before': 'a script of a page, in a browser',
  'core/meta/debug/live-page.ts: source': 'a script of a page, in a browser',
  'core/options/validate.ts: usualPlatform': 'a constant, made at the first use',
  'core/resources/apiextensions/validate-validation.ts: hasRules': ofSchema,
  'core/resources/apiextensions/validate-validation.ts: roots': ofSchema,
  'core/resources/resource/selector-validation.ts: environment': 'a constant, made at the first use',
  'core/schema/decode.ts: openReaders': ofSchema,
  'core/schema/decode.ts: plans': ofSchema,
  'core/schema/decode.ts: rootPlans': ofSchema,
  'core/schema/defaults.ts: hasDefaults': ofSchema,
  'core/schema/defaults.ts: plans': ofSchema,
  'core/schema/embedded.ts: hasEmbedded': ofSchema,
  'core/schema/formats/base64.ts: values': 'a table, filled where it is declared',
  'core/schema/formats/time-zones.ts: zones': 'a constant, made at the first use',
  'core/schema/gated.ts: hasGatedDefaults': ofSchema,
  'core/schema/gated.ts: hasGates': ofSchema,
  'core/schema/gated.ts: plans': ofSchema,
  'core/schema/json/text.ts: keepsText': ofSchema,
  'core/schema/openapi/list-types.ts: hasLists': ofSchema,
  'core/schema/protobuf/decode.ts: plans': ofSchema,
  'core/schema/protobuf/encode.ts: plans': ofSchema,
  'core/schema/validate.ts: hasImmutable': ofSchema,
  'core/schema/validate.ts: needsValidation': ofSchema,
  'core/schema/validate.ts: openapiValidators': ofSchema,
  'core/schema/validate.ts: plans': ofSchema,
  'core/schema/validate.ts: visitors': ofSchema,
}

/** Fields that nothing reads yet, and what will. */
const awaited: { readonly [field: string]: string } = {
  'core/schema/protobuf/envelope.ts: contentEncoding': 'part of the format',
  'core/schema/protobuf/envelope.ts: contentType': 'part of the format',
}

const packages = new Set(['hono', 'zod', 'yaml', 'cac', 'jose', '@noble/ciphers', '@opentelemetry/api', 're2js', '@bufbuild/protobuf'])
/** Wire constants that clients know by these words: OpenAPI extensions, field names and names of types in expressions. */
const wireWords =
  /kubernetes\.(authorization\.)?[A-Z][A-Za-z]+|kubernetes\.variables|x-kubernetes-[a-z-]+|kube(let|Proxy)[A-Z][A-Za-z]*|KubernetesAPIApprovalPolicyConformant/g
const productWords = /k8s\.io|kubernetes|kubelet|kube-/i

const all = sourcesBelow('core', 'runtimes')
const files = all.filter(({ path }) => path.startsWith('core/'))
/** The place of a path in a list of folders and files, each below the folder that the path starts with; -1: none. */
const rankOf = (path: string, folders: readonly string[]) => {
  const below = path.slice(path.indexOf('/') + 1)
  return folders.findIndex((folder) => below === folder || below.startsWith(`${folder}/`))
}

test('core imports its own files and named packages only', () => {
  const strangers = files.flatMap((file) =>
    file.imports.flatMap((specifier) => {
      if (specifier.startsWith('.')) return targetOf(file, specifier).startsWith('core/') ? [] : [`${file.path}: ${specifier}`]
      const name = specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1)
      return packages.has(name.join('/')) ? [] : [`${file.path}: ${specifier}`]
    }),
  )
  assert.deepEqual(strangers, [])
})

/** What is imported from a folder further up. */
function upward(sources: readonly Source[], folders: readonly string[]): string[] {
  const rank = (path: string) => rankOf(path, folders)
  return sources.flatMap((file) =>
    file.imports
      .filter((specifier) => specifier.startsWith('.') && targetOf(file, specifier).split('/')[0] === file.path.split('/')[0])
      .filter((specifier) => rank(targetOf(file, specifier)) < rank(file.path))
      .map((specifier) => `${file.path}: ${specifier}`),
  )
}

test('imports point down the list of folders', () => {
  const unknown = files.filter(({ path }) => rankOf(path, order) === -1).map(({ path }) => path)
  assert.deepEqual(unknown, [], 'every folder has a place in the list')
  assert.deepEqual(upward(files, order), [])
})

test('imports of the runtimes point down their list', () => {
  const runtimes = all.filter(({ path }) => path.startsWith('runtimes/'))
  const unknown = runtimes.filter(({ path }) => rankOf(path, runtimeOrder) === -1).map(({ path }) => path)
  assert.deepEqual(unknown, [], 'every folder has a place in the list')
  assert.deepEqual(upward(runtimes, runtimeOrder), [])
})

test('fields of the core are read somewhere', () => {
  // Tables of option types name fields without reading them.
  const readers = all.filter(({ path }) => !/\/(option|listen)-rows.ts$|^core\/options\//.test(path))
  assert.deepEqual(unreadFields(files, readers).toSorted(), Object.keys(awaited).toSorted())
})

test('every option is read by the core', () => {
  const readers = files.filter(({ path }) => !/^core\/(options|flags)\//.test(path))
  const options: Source = {
    path: 'options',
    text: `interface Options {\n${Object.keys(allOptions)
      .map((name) => `  ${name}: x`)
      .join('\n')}\n}`,
    imports: [],
  }
  assert.deepEqual(unreadFields([options], readers), [])
})

test('no two groups have an option of the same name', () => {
  const names = Object.values(optionGroups).flatMap((group) => Object.keys(group))
  assert.deepEqual(names.toSorted(), Object.keys(allOptions).toSorted())
})

/** Files that some files reach through imports, including those. */
const reached = (...paths: readonly string[]) => reachedBy(({ imports }) => imports, ...paths)

function reachedBy(importsOf: (file: Source) => readonly string[], ...paths: readonly string[]): ReadonlySet<string> {
  const byPath = new Map(all.map((file) => [file.path, file]))
  const found = new Set<string>()
  const left = [...paths]
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    const file = byPath.get(path)
    if (found.has(path) || file === undefined) continue
    found.add(path)
    left.push(
      ...importsOf(file)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => targetOf(file, specifier)),
    )
  }
  return found
}

test('an embedded server loads no flags', () => {
  const embedded = reached('runtimes/web/index.ts', 'runtimes/edge/index.ts', 'runtimes/testing/index.ts', 'core/server.ts')
  assert(embedded.has('core/assembly/server.ts'))
  assert.deepEqual(
    [...embedded].filter((path) => path.startsWith('core/flags/')),
    [],
  )
  assert(reached('runtimes/node/start/program.ts').has('core/flags/rows/index.ts'), 'those of the daemon would be found')
})

/** Imports that are evaluated with the file: not those of types, nor those that wait for a call. */
const evaluated = ({ text }: Source) =>
  [...text.matchAll(/^(?:import|export)\s+(?!type\b)[^'"`;]*?\bfrom\s+'(?<path>\.[^']+)'/gm)].map(({ groups }) => groups?.['path'] ?? '')

test("the server of etcd's API starts without the API server", () => {
  const loaded = reachedBy(evaluated, 'runtimes/node/etcd/program.ts', 'runtimes/node/etcd/start.ts')
  assert(loaded.has('runtimes/etcd-server/server.ts'))
  const server = /^core\/(access|admission|assembly|cel|controllers|filters|flags\/rows|meta|objects|resources|verbs)\//
  assert.deepEqual(
    [...loaded].filter((path) => server.test(path)),
    [],
  )
  assert(loaded.size < 250, `${loaded.size} files`)
  assert(reachedBy(evaluated, 'runtimes/node/start/serve.ts').size > 900, 'those of the API server would be found')
})

/** Where flags become options. What is below `start/` otherwise, and all other folders, take these. */
const readsFlags = new Set([
  ...[
    'assets',
    'authentication-options',
    'certificate-options',
    'daemon',
    'flag-file',
    'host',
    'options',
    'run',
    'serve',
    'snapshot',
    'store',
  ].map((name) => `runtimes/node/start/${name}.ts`),
  'runtimes/node/check/index.ts',
  'runtimes/node/egress/flags.ts',
  'runtimes/node/log/options.ts',
  'runtimes/node/workers/count.ts',
  // A thread has the command line of its process.
  'runtimes/node/workers/worker.ts',
])

test('flags are read where options are made of them', () => {
  const readers = all.filter(
    ({ path, imports }) => !path.startsWith('core/') && imports.some((specifier) => specifier.endsWith('/flags/parse.ts')),
  )
  assert.deepEqual(readers.map(({ path }) => path).toSorted(), [...readsFlags].toSorted())
})

/** `import { … } from`, `export { … } from`, and the same with `*`. */
const named =
  /^(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?(?<names>\{[^}]*\}|\*)[^'"`;]*?\bfrom\s+'(?<from>[^']+)'|\bimport\('(?<whole>[^']+)'\)/gm

/** `path: name` of everything that a file imports from others; `path: *` of what it imports as a whole. */
function importsOf(source: Source): string[] {
  return [...source.text.matchAll(named)].flatMap(({ groups }) => {
    const { names = '*', from, whole }: { names?: string; from?: string; whole?: string } = groups ?? {}
    const target = targetOf(source, from ?? whole ?? '')
    if (!names.startsWith('{')) return [`${target}: *`]
    return names
      .slice(1, -1)
      .split(',')
      .map(
        (name) =>
          `${target}: ${
            name
              .trim()
              .replace(/^type /, '')
              .split(' as ')[0]
          }`,
      )
  })
}

/** How often each word stands in a file, without those that are whole texts. */
function wordsOf({ text }: Source): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const [word] of text.matchAll(/(?<![\w'])[a-zA-Z_]\w*(?![\w'])/g)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/**
 * `file: name` of every exported value that no other file imports, and of every exported type that its own file does not use either. What is
 * exported by a file that others import as a whole is used if its name stands anywhere else.
 */
function deadExports(exporting: readonly Source[], using: readonly Source[]): string[] {
  const imported = new Set(using.flatMap(importsOf))
  const words = new Map(using.map((source) => [source.path, wordsOf(source)]))
  const standsIn = new Map<string, number>()
  for (const each of words.values()) for (const word of each.keys()) standsIn.set(word, (standsIn.get(word) ?? 0) + 1)
  return exporting.flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:async )?(function\*?|const|class|type|interface) (\w+)/gm)]
      .filter(([, sort = '', name = '']) => {
        if (imported.has(`${path}: ${name}`)) return false
        const isAlone = (words.get(path)?.get(name) ?? 0) <= 1
        // All messages of the reference are declared (types.test.ts), also those that no request has.
        if (imported.has(`${path}: *`)) return isAlone && !path.startsWith('core/resources/') && (standsIn.get(name) ?? 0) <= 1
        return isAlone || !/type|interface/.test(sort)
      })
      .map(([, , name = '']) => `${path}: ${name}`),
  )
}

/** What the package exports to its users, and the program of a bundle. */
const entries = new Set([
  'runtimes/node/etcd/program.ts',
  'runtimes/kind-types.ts',
  'core/server.ts',
  'runtimes/node/index.ts',
  'runtimes/testing/index.ts',
  'runtimes/testing/store/index.ts',
  'runtimes/web/index.ts',
  'runtimes/edge/index.ts',
])

/** Reads of the host's clock, which core gets through its port. */
const hostClock = /\bDate\.now\b|\bAbortSignal\.timeout\b|\bnew Date\(\)|\bperformance\b/
/** Arithmetic with the wall clock. */
const wallArithmetic = /\bnow\(\)\)?\s*(?:\/ 1000\)\s*)?[-+<>]|(?:[-+<]|[^=]>|[<>]=)\s*[\w.#]*\bnow\(\)/
/** What has a date, which lasts until the wall clock reaches it. Anything that lasts for a time takes the monotonic clock. */
const dated: { readonly [file: string]: string } = {
  'core/access/authn/certificate/client-certificate.ts': 'notAfter of certificates',
  'core/access/authn/service-account/account-tokens.ts': 'exp of tokens',
  'core/access/authn/service-account/authenticator.ts': 'warnafter of tokens',
  'core/fairness/dump.ts': 'when requests arrived and started',
  'core/meta/openapi/v3-served.ts': 'the Expires header',
  'core/tracing/log-trace.ts': 'when the steps of slow requests were',
  'core/admission/quota/pods.ts': 'deletionTimestamp of pods',
  'runtimes/edge/upkeep.ts': 'alarms of Durable Objects, which have a date',
  'runtimes/node/hosts/disk.ts': 'leases of a server that is opened again',
  'runtimes/node/hosts/hosts.ts': 'when servers expire',
  'runtimes/node/observe/audit-log.ts': 'the age of rotated files, by the time in their names',
  'runtimes/stores/mvcc.ts': 'leases of a store that is opened again',
  'runtimes/stores/leases.ts': 'leases of a store that is opened again',
  'runtimes/testing/clock.ts': 'the offset of a test server',
  'runtimes/testing/snapshot-file.ts': 'the offset of a test server',
}

test('intervals, timeouts and rates do not use the wall clock', () => {
  const lines = all.flatMap(({ path, text }) => text.split('\n').map((line) => ({ path, line: line.trim() })))
  const code = lines.filter(({ line }) => !/^(\/?\*|\/\/)/.test(line))
  assert.deepEqual(
    code.filter(({ path, line }) => path.startsWith('core/') && hostClock.test(line)),
    [],
    'core reads clocks through its port',
  )
  const found = code.filter(({ line }) => wallArithmetic.test(line.replaceAll('performance.now()', '')))
  assert.deepEqual([...new Set(found.map(({ path }) => path))].toSorted(), Object.keys(dated).toSorted())
  for (const line of ['if (now() - began > limit)', 'const end = clock.now() + 5', 'x <= this.#clock.now()'])
    assert.match(line, wallArithmetic)
})

test('every export is used', () => {
  const exporting = all.filter(({ path }) => !entries.has(path))
  assert.deepEqual(deadExports(exporting, sourcesBelow('core', 'runtimes', 'test', 'wrangler-free-examples')), [])
  const unused: Source = { path: 'a', text: 'export const unused = 1', imports: [] }
  assert.deepEqual(deadExports([unused], [unused]), ['a: unused'], 'one would be found')
  const whole: Source = { path: 'b', text: "export * from './a'", imports: ['./a'] }
  assert.deepEqual(deadExports([unused], [unused, whole]), ['a: unused'], 'and one that is exported with its whole file')
})

test('tests take what is random from test/support, with the seed of the run', () => {
  const lucky = sourcesBelow('test')
    .filter(({ path }) => !path.startsWith('test/support/') && !path.startsWith('test/bench/'))
    .flatMap(({ path, text, imports }) => [
      ...imports.flatMap((specifier) => (specifier === 'fast-check' ? [`${path}: import fc from test/support/fast-check.ts`] : [])),
      ...imports.flatMap((specifier) =>
        specifier.endsWith('runtimes/testing/store/index.ts')
          ? [`${path}: import storeConformance from test/support/store-conformance.ts`]
          : [],
      ),
      ...(text.includes(`Math.${'random'}`) ? [`${path}: use randomNumbers of test/support/random.ts`] : []),
    ])
  assert.deepEqual(lucky, [])
})

test('the folders are listed in core/README.md in this order', () => {
  const text = readFileSync('core/README.md', 'utf8')
  const places = order.map((folder) => text.indexOf(`| \`${folder}${folder.endsWith('.ts') ? '' : '/'}\``))
  assert.deepEqual(
    order.filter((_, index) => places[index] === -1),
    [],
  )
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  )
})

test('keys of the store stay in core/objects', () => {
  const takenApart = /\bkeys\.(?:of|parse|prefix|pathOf|start|next)\(/
  assert.deepEqual(
    files.filter(({ path, text }) => !path.startsWith('core/objects/') && takenApart.test(text)).map(({ path }) => path),
    [],
  )
  assert.ok(
    files.some(({ text }) => takenApart.test(text)),
    'one would be found',
  )
})

test('only platform.ts spells product words', () => {
  const spelled = files
    .filter(({ path }) => path !== 'core/platform.ts')
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) => (productWords.test(line.replaceAll(wireWords, '')) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    )
  assert.deepEqual(spelled, [])
})

/** Folders below a folder, relative to it. */
const foldersBelow = (folder: string): string[] =>
  readdirSync(new URL(`${folder}/`, rootUrl), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => relative(fileURLToPath(new URL(folder, rootUrl)), join(entry.parentPath, entry.name)))

test('a folder of test/core or test/runtimes has the tests of the folder of the same name', () => {
  for (const tested of ['core', 'runtimes']) {
    const known = new Set(foldersBelow(tested))
    assert.deepEqual(
      foldersBelow(`test/${tested}`).filter((folder) => !known.has(folder)),
      [],
      `no such folder in ${tested}/`,
    )
  }
})

/** Where the folders are that need a README. */
const parents = ['core', 'runtimes', 'test']
/** Files of a folder without its own README, and its maximum. */
const maxUndescribed = 20

test('folders of more than 20 files have a README, and its table names what exists; those of sources name their tests', () => {
  const folders = parents.flatMap((parent) =>
    readdirSync(new URL(parent, rootUrl), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${parent}/${name}`),
  )
  const problems = folders.flatMap((folder) => {
    const at = new URL(`${folder}/`, rootUrl)
    const readme = new URL('README.md', at)
    const count = readdirSync(at, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
    if (!existsSync(readme)) return count > maxUndescribed ? [`${folder}: ${count} files, and no README.md`] : []
    const text = readFileSync(readme, 'utf8')
    if (!folder.startsWith('test/') && !text.includes(`](../../test/${folder})`)) return [`${folder}/README.md: its tests are not named`]
    const rows = text.matchAll(/^\| (`[^|]+) \|/gm)
    const names = [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`([\w.][\w./-]*)`/g)].map(([, name = '']) => name))
    return names.filter((name) => !existsSync(new URL(name, at))).map((name) => `${folder}/README.md: ${name} does not exist`)
  })
  assert.deepEqual(problems, [])
})

test('calls spread no list that may be long into their arguments', () => {
  const found = sourcesBelow('core', 'runtimes').flatMap((source) => spreadArguments(source).map((call) => `${source.path}: ${call}`))
  assert.ok(found.length > 20)
  assert.deepEqual([...new Set(found)].filter((call) => shortLists[call] === undefined).sort(), [])
  assert.deepEqual(spreadArguments({ path: '', text: 'list.push(...items)\nconst f = (...all: T[]) => g(...all)', imports: [] }), [
    'list.push(...items)',
  ])
})

test('modules of the core keep no state', () => {
  assert.deepEqual(files.flatMap(moduleState).toSorted(), Object.keys(remembered).toSorted())
  const state = [
    'let last = 0',
    'export const known = new WeakMap<Schema, Plan>()',
    'const seen = new Map<string, number>()\nseen.set(a, 1)',
    'const all: string[] = []\nall.push(a)',
    'const counts: Counts = {}\ncounts[name] = 1',
    'const value = once(() => 1)',
    'class A {\n  static instances = 0\n}',
  ]
  assert.ok(state.every((text) => moduleState({ path: '', text, imports: [] }).length === 1))
  const constant = ['const words = new Set([1])', 'const none: readonly string[] = []', 'class A {\n  static readonly none = 0\n}']
  assert.deepEqual(
    constant.flatMap((text) => moduleState({ path: '', text, imports: [] })),
    [],
  )
})
