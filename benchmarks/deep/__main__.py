from benchmarks.deep.exactness import main

main()
