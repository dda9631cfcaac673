package main

func main() {
	println(1) // HLmain
	println(2) // OMIT
	println(3) // HLother
}

func b() {}
