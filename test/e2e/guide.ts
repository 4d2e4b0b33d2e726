/** Does what the testing guide says, in an empty project with the package: writes its files, and runs its commands except those that install. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { kubectls } from '../support/kubectl.ts'
import { npmProject } from '../support/npm-project.ts'
import { type Block, blocksOf } from '../support/page.ts'
import { root } from '../support/root.ts'
import { run } from '../support/run.ts'
import { runtimeBinary, without } from '../support/runtimes.ts'

const blocks = blocksOf('runtimes/testing/GUIDE.md')
const isCommands = ({ language }: Block) => language === 'sh'
/** Files have their names in their first lines. */
const files = blocks.filter((block) => !isCommands(block)).map(({ text }) => [/^(?:\/\/|#) (\S+)$/m.exec(text)?.[1] ?? '', text] as const)

/** A Python that has the client and pytest. */
const python = ['python3', '/usr/bin/python3'].find((path) => spawnSync(path, ['-c', 'import kubernetes, pytest']).status === 0)
const kubectl = kubectls().at(-1)?.path
const goList = ['list', 'sigs.k8s.io/controller-runtime/pkg/envtest', 'k8s.io/api/core/v1']
const go = spawnSync('go', goList, { cwd: root }).status === 0

/** What the commands below a heading need, and what they print when all tests have passed. */
interface Row {
  readonly skip: string | false
  readonly passed: RegExp
}

const nodePassed = /^# pass [1-9]\d*\n# fail 0$/m

/** Declares the tests, which run in the project. */
export function guide(project: string): void {
  const vitest = npmProject('vitest', { vitest: '^4.0.0' })
  const rows: Readonly<Record<string, Row>> = {
    vitest: { skip: vitest.failure ?? false, passed: /Tests +1 passed/ },
    'node:test': { skip: false, passed: nodePassed },
    'bun test': { skip: without('bun'), passed: /^ *1 pass\n *0 fail/m },
    'deno test': { skip: without('deno'), passed: /ok \| 1 passed .*\| 0 failed/ },
    TypeScript: { skip: false, passed: nodePassed },
    '@kubernetes/client-node': { skip: false, passed: nodePassed },
    'In CI': { skip: false, passed: nodePassed },
    'Shell, Python, and any other program': {
      skip: !python ? 'no Python with the packages kubernetes and pytest on this machine' : !kubectl && 'kubectl is not installed',
      passed: /^configmap\/prices created\n3[\s\S]*^=+ 1 passed/m,
    },
    'Go and envtest': {
      skip: !go && 'no Go with the module sigs.k8s.io/controller-runtime on this machine',
      passed: /^ok .*\n[\s\S]*^ok /m,
    },
  }

  /** Programs that the page installs, and where this machine has them. */
  const programs = {
    vitest: join(vitest.directory, 'node_modules/vitest/vitest.mjs'),
    bun: runtimeBinary('bun'),
    deno: runtimeBinary('deno'),
    tsc: join(root, 'node_modules/.bin/tsc'),
    python3: python?.startsWith('/') ? python : undefined,
    kubectl,
    node: process.execPath,
  }
  const packages = { tsx: root, '@types/node': root, '@kubernetes/client-node': root, vitest: `${vitest.directory}/` }
  const bin = join(project, 'node_modules/.bin')
  const env = {
    ...process.env,
    NODE_TEST_CONTEXT: undefined,
    NODE_OPTIONS: '--test-reporter=tap',
    NO_COLOR: '1',
    PATH: [bin, process.env['PATH']].join(delimiter),
  }

  /** Links what another test may have linked elsewhere. */
  function link(target: string, path: string): void {
    mkdirSync(dirname(path), { recursive: true })
    rmSync(path, { recursive: true, force: true })
    symlinkSync(target, path)
  }

  async function passes(script: string, passed: RegExp): Promise<void> {
    const { code, stdout, stderr } = await run('sh', ['-ec', script], { cwd: project, env }, 300_000)
    assert.match(stdout + stderr, passed)
    assert.equal(code, 0, 'exit status')
  }

  describe('the testing guide', () => {
    before(() => {
      for (const [name, where] of Object.entries(packages))
        if (existsSync(join(where, 'node_modules', name))) link(join(where, 'node_modules', name), join(project, 'node_modules', name))
      for (const [name, target] of Object.entries(programs)) if (target !== undefined) link(target, join(bin, name))
      for (const [file, text] of files) {
        assert.notEqual(file, '', `the first line of each file is its name: ${text}`)
        writeFileSync(join(project, file), text)
      }
    })

    for (const [heading, { skip, passed }] of Object.entries(rows))
      test(heading, { skip, timeout: 600_000 }, async () => {
        const script = blocks.filter((block) => block.heading === heading && isCommands(block)).map(({ text }) => text)
        assert.notEqual(script.length, 0)
        await passes(script.join('').replaceAll(/^npm (install|ci)\b.*\n/gm, ''), passed)
      })

    test('no other heading has commands', () => {
      for (const { heading } of blocks.filter(isCommands)) assert.ok(heading in rows, heading)
    })

    for (const { heading, text } of blocks.filter(({ heading }) => !(heading in rows))) {
      const [, file = ''] = /^\/\/ (\S+)$/m.exec(text) ?? []
      test(`${heading}: ${file}`, { timeout: 600_000 }, () => passes(`node --test ${file}`, nodePassed))
    }
  })
}
