/** The entry under Deno, run or compiled: the Node adapter, on Deno's implementation of Node's modules. */
import { basename } from 'node:path'
import { main } from '../node/start/main.ts'

// In a compiled executable execPath is its own path.
process.exitCode = await main(process.argv.slice(2), basename(process.execPath))
