#!/usr/bin/env node
/** The program `apiserver`. `bundle.mjs` builds it as a CommonJS module, which Node loads faster than an ES module. */
import { basename } from 'node:path'
import { evaluateProgram } from './compiled-code.ts'
import type { answerItems } from './item-encoder.ts'
import type { main } from './main.ts'

/** Defined by the build. */
declare const buildStamp: object
declare const programDigest: string

/** The bundle is a function, so that values that differ from build to build are arguments and not part of its text. */
type Program = (
  require: NodeJS.Require,
  directory: string,
  stamp: object,
) => { readonly main: typeof main; readonly answerItems: typeof answerItems }

const { value, keep } = evaluateProgram(__dirname, 'program.js', programDigest)
const program = (value as Program)(require, __dirname, buildStamp)
/** Loaded on demand: it takes a millisecond. */
const threads = () => require('node:worker_threads') as typeof import('node:worker_threads')
/** The argument of a thread of this program, which has a port then. */
const asThread = '--items'
const thread = () => new (threads().Worker)(__filename, { argv: [asThread], execArgv: [] })
const port = process.argv[2] === asThread ? threads().parentPort : null
if (port) program.answerItems(port)
else
  program.main(process.argv.slice(2), basename(process.argv[1] ?? 'apiserver'), keep, thread).then((status) => {
    process.exitCode = status
  })
