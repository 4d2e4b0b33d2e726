/** An empty machine: a Debian tree with Node, npm and a copy of the checkout, and nothing of this machine's caches. */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root as checkout } from '../support/root.ts'
import type { Role } from './roles.ts'
import type { Step } from './steps.ts'

/** A step that has ended; seconds. */
export interface Took {
  readonly name: string
  readonly seconds: number
  /** Longest time without output, and the command that took it. */
  readonly silence: number
  readonly silent: string
}

export interface Machine {
  /** Runs the steps in one shell, until one fails; `failure`: its last output. */
  run(steps: readonly Step[], ended: (took: Took) => void): Promise<{ readonly failure?: string }>
  remove(): void
}

const mark = '@step '
const which = (program: string) => execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim()

/** systemd does not run in a chroot: this starts a unit's command as its user, in the directories that the unit asks for. */
const systemctl = `#!/bin/bash
set -e
[ "$1" = daemon-reload ] && exit
unit=/etc/systemd/system/\${!#}.service
value() { sed -n "s/^$1=//p" $unit; }
user=$(value User)
install --directory --owner=$user /var/lib/$(value StateDirectory) /var/log/$(value LogsDirectory)
if [ -e /run/unit.pid ]; then kill $(cat /run/unit.pid); tail --pid=$(cat /run/unit.pid) --follow /dev/null; fi
setpriv --reuid=$user --regid=$user --clear-groups $(value ExecStart) 2>> /var/log/journal &
echo $! > /run/unit.pid
`

/** What git has of the checkout, or would add to it, as in a clone. */
function copyCheckout(to: string): void {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: checkout, encoding: 'utf8' })
  for (const path of files.split('\0')) if (path !== '' && existsSync(join(checkout, path))) cpSync(join(checkout, path), join(to, path))
}

/** Layers a machine over the tree `base`, which stays as it is. */
export function prepareMachine(base: string, { packages, programs }: Role, goPath?: string): Machine {
  const directory = mkdtempSync(join(tmpdir(), 'walk-'))
  const [upper, work, merged] = ['upper', 'work', 'merged'].map((name) => join(directory, name)) as [string, string, string]
  for (const folder of [
    work,
    merged,
    join(upper, 'usr/local/bin'),
    join(upper, 'usr/local/lib/node_modules'),
    join(upper, 'root'),
    join(upper, 'etc/ssl/certs'),
  ])
    mkdirSync(folder, { recursive: true })
  const bin = join(upper, 'usr/local/bin')
  const npm = join(dirname(dirname(realpathSync(process.execPath))), 'lib/node_modules/npm')
  cpSync(process.execPath, join(bin, 'node'))
  cpSync(npm, join(upper, 'usr/local/lib/node_modules/npm'), { recursive: true })
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(bin, name))
  for (const program of programs.filter((name) => name !== 'go')) cpSync(realpathSync(which(program)), join(bin, program))
  writeFileSync(join(bin, 'systemctl'), systemctl)
  chmodSync(join(bin, 'systemctl'), 0o755)
  copyCheckout(join(upper, 'root/apiserver'))

  // A Debian tree without an installer has none.
  writeFileSync(join(upper, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n')
  // How this machine reaches the registries.
  for (const file of ['etc/resolv.conf', 'etc/ssl/certs/ca-certificates.crt']) cpSync(`/${file}`, join(upper, file), { dereference: true })
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', cwd: '/' }).trim()
  writeFileSync(join(upper, 'root/.npmrc'), `registry=${registry}\n`)

  const goRoot = programs.includes('go') ? execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8' }).trim() : undefined
  const bound = [goRoot && [realpathSync(goRoot), '/usr/local/go'], goPath && [goPath, '/root/go']].filter((each) => Array.isArray(each))
  const environment = {
    HOME: '/root',
    LANG: 'C.UTF-8',
    PATH: '/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
    ...(goPath && { GO111MODULE: 'off', GOPATH: '/root/go', GOCACHE: '/root/go/.cache', GOFLAGS: '-buildvcs=false', CGO_ENABLED: '0' }),
  }
  const enter = [
    `mount -t overlay overlay -o lowerdir=${base},upperdir=${upper},workdir=${work} ${merged}`,
    `mount -t proc proc ${merged}/proc`,
    `mount --rbind /dev ${merged}/dev`,
    ...bound.flatMap(([from, to]) => [`mkdir -p ${merged}${to}`, `mount --bind ${from} ${merged}${to}`]),
    `exec chroot ${merged} /usr/bin/env --ignore-environment ${Object.entries(environment)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')} bash -euo pipefail /walk.sh`,
  ]

  return {
    async run(steps, ended) {
      const needed =
        packages.length === 0 ? '' : `apt-get update -qq && apt-get install -y -qq --no-install-recommends ${packages.join(' ')}\n`
      const all = [{ name: '(packages of Debian)', script: needed }, ...steps].filter(({ script }) => script !== '')
      writeFileSync(
        join(upper, 'walk.sh'),
        `exec 2>&1 < /dev/null\nset -x\ncd /root\n${all.map(({ name, script }) => `echo '${mark}${name}'\n${script}`).join('')}echo '${mark}'\n`,
      )
      const child = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-ec', enter.join('\n')], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let [name, began, output] = ['', performance.now(), '']
      let [heard, command, silence, silent] = [began, '', 0, '']
      let last = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const now = performance.now()
        if (now - heard > silence) [silence, silent] = [now - heard, command]
        heard = now
        const lines = (last + text).split('\n')
        last = lines.pop() ?? ''
        for (const line of lines) {
          command = /^\++ (.*)/.exec(line)?.[1] ?? command
          if (line.startsWith(mark)) {
            if (name !== '') ended({ name, seconds: (now - began) / 1000, silence: silence / 1000, silent })
            ;[name, began, output, silence, silent] = [line.slice(mark.length), now, '', 0, '']
          } else output += `${line}\n`
        }
      })
      const status = await new Promise((resolve) => child.on('close', resolve))
      return name === '' && status === 0 ? {} : { failure: `${name}: exit status ${status}\n${output.slice(-6000)}` }
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
