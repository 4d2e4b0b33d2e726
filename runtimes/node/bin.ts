#!/usr/bin/env node
/** The program `apiserver`. `bundle.mjs` builds it as a CommonJS module, which Node loads faster than an ES module. */
import { basename } from 'node:path'
import { evaluateProgram } from './observe/compiled-code.ts'
import type { Main } from './start/command.ts'
import { keptHelp } from './start/kept-help.ts'
import { print } from './start/print.ts'
import { type Role, roleOf } from './start/programs.ts'

/** Defined by the build. */
declare const buildStamp: object
declare const programDigests: { readonly [role in Role]: string }

/** The bundle is a function, so that values that differ from build to build are arguments and not part of its text. */
type Program = (require: NodeJS.Require, directory: string, stamp: object) => { readonly main: Main }

const argv = process.argv.slice(2)
const name = basename(process.argv[1] ?? 'apiserver')
const help = keptHelp(__dirname, name, argv)
if (help === undefined) run()
else print(1, help)

function run(): void {
  const role = roleOf(argv, name)
  const { value, keep } = evaluateProgram(__dirname, `${role}.js`, programDigests[role])
  const program = (value as Program)(require, __dirname, buildStamp)
  program.main(argv, name, keep).then((status) => {
    process.exitCode = status
  })
}
