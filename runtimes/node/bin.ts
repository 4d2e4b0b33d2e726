#!/usr/bin/env node
import { basename } from 'node:path'
import { main } from './main.ts'

process.exitCode = await main(process.argv.slice(2), basename(process.argv[1] ?? 'apiserver'))
