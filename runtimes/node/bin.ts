#!/usr/bin/env node
/** The program `apiserver`, as `bundle.mjs` builds it: a CommonJS module, which Node loads sooner than an ES module. */
import { basename } from 'node:path'
import { evaluateProgram } from './compiled-code.ts'
import type { main } from './main.ts'

/** Put in by the build. */
declare const buildStamp: object
declare const programDigest: string

/** The bundle's text is a function, so that what differs from build to build stays out of it. */
type Program = (require: NodeJS.Require, directory: string, stamp: object) => { readonly main: typeof main }

const { value, keep } = evaluateProgram(__dirname, 'program.js', programDigest)
const program = (value as Program)(require, __dirname, buildStamp)
program.main(process.argv.slice(2), basename(process.argv[1] ?? 'apiserver'), keep).then((status) => {
  process.exitCode = status
})
