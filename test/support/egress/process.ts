/** A proxy as a process: `process.ts SETTINGS`. Prints `ready`, then each address that it is asked for, one a line. */
import { ServerCredentials } from '@grpc/grpc-js'
import { httpProxy } from './http-proxy.ts'
import { konnectivityServer } from './konnectivity-server.ts'
import { routesOf } from './routes.ts'
import type { ProxySettings } from './start.ts'

const { kind, listen, tls, ports } = JSON.parse(process.argv[2] ?? '{}') as ProxySettings
const say = (line: string) => void process.stdout.write(`${line}\n`)
const routes = routesOf(ports, say)
if (kind === 'GRPC')
  konnectivityServer(routes).bindAsync(`unix:${String(listen)}`, ServerCredentials.createInsecure(), (error) => {
    if (error) throw error
    say('ready')
  })
else {
  const server = httpProxy(routes, tls)
  const ready = () => say('ready')
  if (typeof listen === 'string') server.listen(listen, ready)
  else server.listen(listen, '127.0.0.1', ready)
}
