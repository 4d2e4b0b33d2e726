/** kubectl api-resources and explain: discovery, and the documentation of every kind. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createPlatform } from '../../core/platform.ts'
import { bind } from '../../core/resources/bind.ts'
import { apiVersionOf } from '../../core/resources/definition.ts'
import { builtInResources } from '../../core/resources/group-versions.ts'
import { compareVersions } from '../../core/schema/formats/version-order.ts'
import { allKindsFlags } from '../support/all-kinds.ts'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { type Kubectl, type KubectlBinary, kubectls, kubectlWith } from '../support/kubectl.ts'
import { root } from '../support/root.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const factsPath = resolve(root, '../shared/facts/kinds.json')
const platform = createPlatform()
const definitions = builtInResources.map((definition) => bind(definition, platform))

interface Fact {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
  readonly use: string
  readonly servedByDefault: boolean
}

/** Expected lines of `api-resources`: the preferred version of each resource. */
function expectedLines(): readonly string[] {
  const best = new Map<string, Fact>()
  for (const fact of JSON.parse(readFileSync(factsPath, 'utf8')) as readonly Fact[]) {
    if (fact.use !== 'resource' || !fact.servedByDefault) continue
    const key = `${fact.plural}.${fact.group}`
    const other = best.get(key)
    if (other === undefined || compareVersions(fact.version, other.version) > 0) best.set(key, fact)
  }
  return [...best.values()]
    .map(({ plural, shortNames, group, version, namespaced, kind }) =>
      [plural, shortNames.join(','), group === '' ? version : `${group}/${version}`, namespaced, kind].join(' | '),
    )
    .sort()
}

/** Parses a table of kubectl, whose columns start below their titles. */
function parseTable(text: string): readonly string[] {
  const [head = '', ...lines] = text.trimEnd().split('\n')
  const starts = [...head.matchAll(/\S+/g)].map(({ index }) => index)
  return lines.map((line) => starts.map((start, column) => line.slice(start, starts[column + 1]).trim()).join(' | ')).sort()
}

/** Runs at most `width` tasks at a time. */
async function inParallel<T>(items: readonly T[], width: number, run: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await run(item)
  }
  await Promise.all(Array.from({ length: width }, work))
}

/** A default server, and one with all optional versions. */
interface Daemons {
  readonly usual: Daemon
  readonly full: Daemon
}

function learn(binary: KubectlBinary, daemons: () => Daemons): void {
  describe(`kubectl ${binary.version}`, () => {
    const homes = [temporaryDirectory('explain'), temporaryDirectory('explain')] as const
    let usual: Kubectl
    let full: Kubectl
    before(() => {
      usual = kubectlWith(binary, daemons().usual.kubeconfig, homes[0].path)
      full = kubectlWith(binary, daemons().full.kubeconfig, homes[1].path)
    })
    after(() => {
      for (const home of homes) home.remove()
    })

    test('api-resources', { skip: existsSync(factsPath) ? false : `no table at ${factsPath}` }, async () => {
      assert.deepEqual(parseTable(await usual.run('api-resources')), expectedLines())
    })

    test('explain of every kind, with all fields', async () => {
      await inParallel(definitions, 2, async (definition) => {
        const { names, kind, schema } = definition
        const text = await full.run('explain', names.plural, '--recursive', `--api-version=${apiVersionOf(definition)}`)
        assert.equal(/^KIND:\s+(\S+)/m.exec(text)?.[1], kind)
        assert.match(text, /^DESCRIPTION:\n\s+\S/m, kind)
        for (const name of schema.json.keys()) assert.match(text, new RegExp(`^ +${name}\\s+<`, 'm'), `${kind}: ${name}`)
      })
    })

    test('explain of one field', async () => {
      const text = await usual.run('explain', 'pods.spec.containers.resources.limits')
      assert.match(text, /^FIELD:\s+limits\s+<map\[string\]/m)
      const { code, stderr } = await usual.try(['explain', 'pods.spec.nothing'])
      assert.notEqual(code, 0)
      assert.match(stderr, /field "nothing" does not exist/)
    })
  })
}

const found = kubectls()
if (found.length === 0) test('kubectl explain', { skip: 'no kubectl on PATH or in KUBECTL_PATHS' }, () => {})
describe('kubectl explain', () => {
  let daemons: Daemons | undefined
  before(async () => {
    daemons = { usual: await startDaemon(), full: await startDaemon({ flags: [...allKindsFlags] }) }
  })
  after(async () => {
    await daemons?.usual.stop()
    await daemons?.full.stop()
  })
  for (const each of found)
    learn(each, () => {
      assert(daemons)
      return daemons
    })
})
