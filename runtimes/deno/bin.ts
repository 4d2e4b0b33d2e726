/** The entry under Deno, run or compiled: the Node adapter, on Deno's implementation of Node's modules. */
import { basename } from 'node:path'
import { main } from '../node/main.ts'

// A compiled executable goes by its own name.
process.exitCode = await main(process.argv.slice(2), basename(process.execPath))
