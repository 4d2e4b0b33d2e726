export * from './imagereview.ts'
