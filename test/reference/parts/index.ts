/** All parts, in the order in which they run. */
import type { Part } from '../exchange.ts'
import { create } from './create.ts'
import { documents } from './documents.ts'
import { life } from './life.ts'
import { odd } from './odd.ts'
import { status } from './status.ts'
import { update } from './update.ts'

export const parts: readonly Part[] = [documents, odd, create, update, status, life]
