/** The file in which the old engine keeps everything. */
export const oldDataFile = 'data.mdb'
