// Asks DuckDB: [FORMAT=...] node duckdb.cjs QUERY [STATEMENT...], after the statements. With a FORMAT, in which %1, %2
// and so on are columns, it prints a row of the result a line; without, how long the query took, as JSON. THREADS says
// how many threads DuckDB may take; its module @duckdb/node-api lies in MODULES.
const { THREADS, MODULES, FORMAT } = process.env
const { DuckDBInstance } = require(MODULES + '/@duckdb/node-api')

async function main([query, ...statements]) {
	const instance = await DuckDBInstance.create(':memory:', { threads: THREADS })
	const connection = await instance.connect()
	for (const statement of statements) await connection.run(statement)
	const began = process.hrtime.bigint()
	const rows = (await connection.runAndReadAll(query)).getRowsJson()
	const seconds = Number(process.hrtime.bigint() - began) / 1e9
	if (FORMAT === undefined) {
		console.log(JSON.stringify({ seconds, errors: 0, rows }))
		return
	}
	for (const row of rows) console.log(FORMAT.replace(/%(\d)/g, (_, i) => row[i - 1]))
}

main(process.argv.slice(2)).catch((error) => {
	console.error(String(error))
	process.exitCode = 1
})
