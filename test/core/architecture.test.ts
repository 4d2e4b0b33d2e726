/** Promises of the design that a machine can keep: what core may import, in which direction, and which words it may use. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { test } from 'node:test'

/** Folders and top-level files of core/, as core/README.md lists them; each imports only itself and what comes after it. */
const order = [
  'server.ts',
  'assembly',
  'options.ts',
  'config',
  'bootstrap',
  'controllers',
  'filters',
  'meta',
  'verbs',
  'admission',
  'authn',
  'authz',
  'webhook',
  'request',
  'registry',
  'watch',
  'storage',
  'apply',
  'respond',
  'resources',
  'cel',
  'schema',
  'platform.ts',
  'ports.ts',
]

const packages = new Set(['hono', 'zod', 'yaml', 'cac', 'jose', '@noble/ciphers', '@opentelemetry/api', 're2js', '@bufbuild/protobuf'])
/** Wire constants that clients know by these words: OpenAPI extensions, field names and names of types in expressions. */
const wireWords = /kubernetes\.[A-Z][A-Za-z]+|x-kubernetes-[a-z-]+|kube(let|Proxy)[A-Z][A-Za-z]*|KubernetesAPIApprovalPolicyConformant/g
const productWords = /k8s\.io|kubernetes|kubelet|kube-/i

interface Source {
  readonly path: string
  readonly text: string
  readonly imports: readonly string[]
}

const files: Source[] = readdirSync('core', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(join('core', path), 'utf8')
    const imports = [...text.matchAll(/^(?:import .*|export .*|\} )from '([^']+)'|\bimport\('([^']+)'\)/gm)].map(
      (match) => match[1] ?? match[2] ?? '',
    )
    return { path, text, imports }
  })
const roomOf = (path: string) => path.split('/')[0] ?? ''
const targetOf = ({ path }: Source, specifier: string) => normalize(join(path, '..', specifier))

test('core imports its own files and named packages only', () => {
  const strangers = files.flatMap((file) =>
    file.imports.flatMap((specifier) => {
      if (specifier.startsWith('.')) return targetOf(file, specifier).startsWith('..') ? [`${file.path}: ${specifier}`] : []
      const name = specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1)
      return packages.has(name.join('/')) ? [] : [`${file.path}: ${specifier}`]
    }),
  )
  assert.deepEqual(strangers, [])
})

test('imports point down the list of rooms', () => {
  const rank = (path: string) => order.indexOf(roomOf(path))
  const unknown = files.filter(({ path }) => rank(path) === -1).map(({ path }) => path)
  assert.deepEqual(unknown, [], 'every folder has a place in the list')
  const upward = files.flatMap((file) =>
    file.imports
      .filter((specifier) => specifier.startsWith('.') && rank(targetOf(file, specifier)) < rank(file.path))
      .map((specifier) => `${file.path}: ${specifier}`),
  )
  assert.deepEqual(upward, [])
})

test('the rooms are listed in core/README.md in this order', () => {
  const text = readFileSync('core/README.md', 'utf8')
  const places = order.map((room) => text.indexOf(`| \`${room}${room.endsWith('.ts') ? '' : '/'}\``))
  assert.deepEqual(
    order.filter((_, index) => places[index] === -1),
    [],
  )
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  )
})

test('only platform.ts spells product words', () => {
  const spelled = files
    .filter(({ path }) => path !== 'platform.ts')
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) => (productWords.test(line.replaceAll(wireWords, '')) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    )
  assert.deepEqual(spelled, [])
})
