/**
 * The entry of the executable that Bun compiles. It is the Node adapter: Bun's node:tls and node:http2 provide client certificates,
 * which its own server does not.
 */
import { basename } from 'node:path'
import { main } from '../node/start/main.ts'

// In a compiled executable argv[1] is constant; argv0 is the name it was started by.
process.exitCode = await main(process.argv.slice(2), basename(process.argv0))
