/** The checker of histories of etcd's API finds what is wrong with one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Commit, type History, historyProblem, type Told, watchProblem } from '../../support/etcd-history.ts'

const put = (key: string, value: string, version: number, createRevision: number, previous?: string) => ({
  key,
  value,
  version,
  createRevision,
  previous,
})
const commits: readonly Commit[] = [
  { revision: 2, changes: [put('a', '1', 1, 2), put('b', '2', 1, 2)] },
  { revision: 3, changes: [put('a', '3', 2, 2, '1')] },
  { revision: 4, changes: [{ key: 'b', version: 0, createRevision: 0, previous: '2' }] },
]
const both = {
  begin: 0,
  end: 1,
  revision: 2,
  puts: new Map([
    ['a', '1'],
    ['b', '2'],
  ]),
  deletes: [],
}
const deleted = { begin: 4, end: 6, revision: 4, puts: new Map(), deletes: ['b'] }
const read = {
  begin: 2,
  end: 3,
  revision: 3,
  values: new Map([
    ['a', '3'],
    ['b', '2'],
  ]),
}
const good: History = { written: [both, deleted], reads: [read], tried: new Set(['3']) }

test('a history', () => {
  assert.equal(historyProblem(commits, good), undefined)
  const bad: readonly (readonly [RegExp, readonly Commit[], History])[] = [
    [/put by no client/, commits, { ...good, tried: new Set() }],
    [/has \[\]/, commits, { ...good, written: [{ ...both, revision: 9 }] }],
    [/without b/, commits, { ...good, written: [both, { ...deleted, revision: 3 }] }],
    [/a read of revision 3/, commits, { ...good, reads: [{ ...read, values: both.puts }] }],
    [/a read at revision 3 began after the end of one at 4/, commits, { ...good, reads: [{ ...read, begin: 7, end: 8 }] }],
    [/a write at revision 4 began after/, commits, { ...good, reads: [{ ...read, revision: 4, values: new Map([['a', '3']]) }] }],
    [/revision 4 after 2/, commits.toSpliced(1, 1), good],
    [/a was 1, not undefined/, commits.with(1, { revision: 3, changes: [put('a', '3', 2, 2)] }), good],
    [/version 1 since 3/, commits.with(1, { revision: 3, changes: [put('a', '3', 1, 3, '1')] }), good],
  ]
  for (const [problem, all, history] of bad) assert.match(historyProblem(all, history) ?? '', problem)
})

test('a watch', () => {
  const told: Told = { from: 3, commits: commits.slice(1), progress: [{ revision: 3, after: 1 }] }
  assert.equal(watchProblem(commits, told), undefined)
  const [first, second] = told.commits as [Commit, Commit]
  const bad: readonly (readonly [RegExp, Told])[] = [
    [/commit 0/, { ...told, from: 2 }],
    [/commit 0/, { ...told, commits: [second, first] }],
    [/commit 1/, { ...told, commits: [first, first] }],
    [/commit 0/, { ...told, from: 2, commits: [{ revision: 2, changes: commits[0]?.changes.slice(1) ?? [] }] }],
    [/progress 4 after 1 commits, before 4/, { ...told, progress: [{ revision: 4, after: 1 }] }],
  ]
  for (const [problem, each] of bad) assert.match(watchProblem(commits, each) ?? '', problem)

  const lacking: Told = { ...told, commits: [{ revision: 3, changes: [put('a', '3', 2, 2)] }, second] }
  assert.match(watchProblem(commits, lacking, new Set([2])) ?? '', /commit 0/)
  assert.equal(watchProblem(commits, lacking, new Set([3])), undefined)
})
