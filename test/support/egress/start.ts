/** Proxies in separate processes, which record what they are asked for. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { killedAtExit } from '../child.ts'
import { nodeArguments } from '../root.ts'
import { eventually, within } from '../wait.ts'

export interface ProxySettings {
  readonly kind: 'HTTPConnect' | 'GRPC'
  /** Path of a Unix socket, or a port of 127.0.0.1. */
  readonly listen: string | number
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca: string }
  /** Ports of 127.0.0.1 by the `HOST:PORT` that the proxy is asked for. */
  readonly ports: { readonly [authority: string]: number }
}

export interface ProxyProcess {
  /** Every `HOST:PORT` that it was asked for, in order. */
  asked(): readonly string[]
  stop(): Promise<void>
}

export async function startProxy(settings: ProxySettings): Promise<ProxyProcess> {
  const program = nodeArguments(new URL('./process.ts', import.meta.url))
  const child = killedAtExit(spawn(process.execPath, [...program, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'inherit'] }))
  const ended = once(child, 'close')
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  await eventually('the proxy listens', async () => text.includes('ready\n'))
  return {
    asked: () => text.split('\n').slice(1, -1),
    async stop() {
      child.kill('SIGKILL')
      await within('end of the proxy', ended)
    },
  }
}
