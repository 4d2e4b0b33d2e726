import { listen } from '/work/wt/wire/runtimes/node/listener.ts'
import { serving } from '/work/wt/wire/test/runtimes/node/support.ts'
const l = await listen({ address: '127.0.0.1', port: Number(process.argv[2] ?? 18443), ...serving, logger: console as never }, async (r) => { await r.arrayBuffer(); return new Response('hello, this is a body\n') })
console.log('up', l.port)
